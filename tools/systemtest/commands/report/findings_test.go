package report

import (
	"encoding/json"
	"strings"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/internal/fulltest"
	"tapedeck/query/report/usagereport"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// GitHub Copilot states another response id in every event, and a response is known by the id
// that it began with. With ids of full length a second recording of the same bytes counts once.
// Ids that are too short to be the only ones of their kind are of their stream alone: the 124
// tokens count twice, and reports list that.
func TestRotatingIDsRecordedTwice(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	body := dialecttest.Fixture(t, "second_round/copilot_id_rotation.ndjson")
	for _, tc := range []struct {
		session, body string
		tokens        int64
		findings      string
	}{
		{"copilot-short-ids", string(body), 248, "same_message 1 same_bytes 1"},
		{"copilot-long-ids", strings.ReplaceAll(string(body), "capture-id-", "capture-id-of-full-length-"), 124, "same_bytes 1"},
	} {
		file := commandtest.TextFile(t, []byte(tc.body))
		for range 2 {
			s.Must(t, "record", "--again", "--session", tc.session, file)
		}
		var r usagereport.Report
		if err := json.Unmarshal([]byte(s.Must(t, "usage", "--query", tc.session, "--findings", "--json")), &r); err != nil {
			t.Fatal(err)
		}
		if r.Totals.Tokens.Total != tc.tokens || r.Totals.Findings == nil {
			t.Errorf("%s: %d tokens, want %d; findings %v", tc.session, r.Totals.Tokens.Total, tc.tokens, r.Totals.Findings)
			continue
		}
		var got []string
		for _, c := range r.Totals.Findings.Codes {
			got = append(got, c.Code, "1")
		}
		if strings.Join(got, " ") != tc.findings {
			t.Errorf("%s: findings %+v, want %s", tc.session, r.Totals.Findings.Codes, tc.findings)
		}
		table := s.Must(t, "usage", "--query", tc.session, "--findings", "--group-by", "model")
		commandtest.Contains(t, "usage --findings", table, "FINDINGS", "in 1 session", "What does not add up", strings.Fields(tc.findings)[0])
		commandtest.Contains(t, "sessions --findings", s.Must(t, "sessions", "--query", tc.session, "--findings"), "FINDINGS", "same_bytes 1")
	}
}
