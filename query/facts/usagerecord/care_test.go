package usagerecord

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/querytest"
)

// TestCountOnce compares the records that countOnce makes of a session's rows with those that
// ClickHouse makes of them in statements about many sessions.
func TestCountOnce(t *testing.T) {
	db := querytest.New(t)
	const sessions = 30
	// A third of the sessions has only calls, a third has running totals as well, and in a third two streams
	// report the same record.
	db.Exec(fmt.Sprintf(`INSERT INTO usage (tenant, session_id, stream_id, usage_id, seen_at, seen_seq, version, scope, mode, at, span_id, run_id,
		agent, model, provider, input, cache_read, cache_write_5m, output, reasoning, total, raw, dialect, request_id, message_id, stated_cost,
		stated_currency, service_tier, input_text, input_audio, output_text, web_searches, web_fetches)
	SELECT 'default', 's-' || toString(number), 'stream-' || toString(n %% 2), 'usage-' || toString(if(number %% 3 = 2, intDiv(n, 2), n)),
		toDateTime64('2026-03-01 10:00:00', 9, 'UTC') + n, n, n + 1, if(number %% 3 = 1, 'total', toString(n)),
		if(number %% 3 = 1 AND n > 3, 'running', 'add'), toDateTime64('2026-03-01 10:00:00', 9, 'UTC') + intDiv(n, 3), 'span-' || toString(n), 'run',
		'agent', if(n %% 4 = 0, '', 'gpt-5'), 'openai', h %% 9000, h %% 700, h %% 11, h %% 500, h %% 13, h %% 3, '{"total":1}', 'openai-chat',
		'req-' || toString(n), '', if(n %% 3 = 0, '0.25', ''), if(n %% 5 = 0, '', 'EUR'), if(n %% 2 = 0, 'flex', ''),
		if(n %% 2 = 0, h %% 300, 0), if(n %% 2 = 0, h %% 200, 0), h %% 100, h %% 5, h %% 7
	FROM numbers(%d) ARRAY JOIN range(9) AS n, arrayMap(i -> toUInt32(cityHash64(number, i)), range(9)) AS h`, sessions))
	r := query.NewReader(db.Conn)
	careful := query.Parse(os.DirFS("testdata/careful"))
	for i := range sessions {
		from := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC).UnixNano()
		a := sessionstreams.Parameters("default", &sessionstreams.Row{ID: fmt.Sprintf("s-%d", i), Started: from, Last: from})
		shape := usageShape{Original: i%2 == 0}
		want, err := query.Ask[usageRow](t.Context(), r, careful, "careful_usage_of_session", shape, a)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := query.Ask[usageRow](t.Context(), r, statements, "usage_of_session", shape, a)
		if err != nil {
			t.Fatal(err)
		}
		if records := 9 - 4*(i%3/2); len(rows) != 9 || len(want) != records {
			t.Errorf("session %d: %d rows of %d records, want 9 of %d", i, len(rows), len(want), records)
		}
		if d := cmp.Diff(want, countOnce(rows), cmp.AllowUnexported(usageRow{}, billingRow{}, cost.Parts{})); d != "" {
			t.Errorf("session %d (- ClickHouse, + countOnce):\n%s", i, d)
		}
	}
}
