package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"tapedeck/query/report/usagereport"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// chatCall is an answer of one call as OpenAI's chat completions return it, whole.
func chatCall(id, model, usage string) []byte {
	return fmt.Appendf(nil, `{"id":%q,"object":"chat.completion","created":1780000000,"model":%q,`+
		`"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"usage":%s}`+"\n", id, model, usage)
}

// The table of usage has the cost, those at other prices that were asked for, the stated
// ones, and below it the calls without a price.
func TestUsageTable(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	for i, call := range [][]byte{
		chatCall("chatcmpl-t1", "gpt-5", `{"prompt_tokens":1000000,"completion_tokens":0,"total_tokens":1000000,"cost":0.5}`),
		chatCall("chatcmpl-t2", "gpt-5-mini", `{"prompt_tokens":2000000,"completion_tokens":0,"total_tokens":2000000}`),
		chatCall("chatcmpl-t3", "gpt-5-nano", `{"prompt_tokens":4000000,"completion_tokens":0,"total_tokens":4000000}`),
		chatCall("chatcmpl-t4", "in-house-9", `{"prompt_tokens":500,"completion_tokens":0,"total_tokens":500}`),
	} {
		s.Must(t, "record", commandtest.TextFile(t, call), "--dialect", "openai-chat", "--session", fmt.Sprint("usage-table-", i), "--tag", "report=table")
	}
	squeezed := func(args ...string) string {
		var lines []string
		for line := range strings.Lines(s.Must(t, append([]string{"usage", "--tag", "report=table"}, args...)...)) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		return strings.Join(lines, "\n")
	}
	// List prices for a million tokens of input: gpt-5 1.25, gpt-5-mini 0.25, gpt-5-nano 0.05.
	for _, tc := range []struct {
		name string
		args []string
		want []string
	}{
		{"by model, the dearest first", []string{"--group-by", "model", "--order=-cost"}, []string{
			"MODEL CALLS INPUT CACHE READ CACHE WRITE OUTPUT REASONING TOTAL COST STATED",
			"gpt-5 1 1,000,000 0 0 0 0 1,000,000 $1.2500 $0.5000",
			"gpt-5-mini 1 2,000,000 0 0 0 0 2,000,000 $0.5000 –",
			"gpt-5-nano 1 4,000,000 0 0 0 0 4,000,000 $0.2000 –",
			"in-house-9 1 500 0 0 0 0 500 unpriced –",
			"TOTAL 4 7,000,500 0 0 0 0 7,000,500 >$1.9500 (1 call unpriced) $0.5000 (1 call)",
			"",
			"Without a price",
			"REASON MODEL CALLS TOKENS",
			"unknown_provider in-house-9 1 500",
		}},
		{"the first two of them and the others, as another model", []string{"--group-by", "model", "--top", "2", "--order=-tokens", "--what-if-model", "gpt-5"}, []string{
			"MODEL CALLS INPUT CACHE READ CACHE WRITE OUTPUT REASONING TOTAL COST WHAT IF STATED",
			"gpt-5-nano 1 4,000,000 0 0 0 0 4,000,000 $0.2000 $5.0000 –",
			"gpt-5-mini 1 2,000,000 0 0 0 0 2,000,000 $0.5000 $2.5000 –",
			"(2 others) 2 1,000,500 0 0 0 0 1,000,500 >$1.2500 (1 call unpriced) $1.2506 $0.5000 (1 call)",
			"TOTAL 4 7,000,500 0 0 0 0 7,000,500 >$1.9500 (1 call unpriced) $8.7506 $0.5000 (1 call)",
			"",
			"Without a price",
			"REASON MODEL CALLS TOKENS",
			"unknown_provider in-house-9 1 500",
		}},
		{"of one session at the prices of another day", []string{"--query", "usage-table-0", "--as-of", "2026-06-01"}, []string{
			"CALLS INPUT CACHE READ CACHE WRITE OUTPUT REASONING TOTAL COST REPRICED STATED",
			"1 1,000,000 0 0 0 0 1,000,000 $1.2500 $1.2500 $0.5000",
		}},
		{"at the prices of a day, with a model without a price", []string{"--query", "usage-table-3", "--as-of", "2026-06-01"}, []string{
			"CALLS INPUT CACHE READ CACHE WRITE OUTPUT REASONING TOTAL COST REPRICED STATED",
			"1 500 0 0 0 0 500 unpriced unpriced –",
			"",
			"Without a price",
			"REASON MODEL CALLS TOKENS",
			"unknown_provider in-house-9 1 500",
			"",
			"Without a price when re-priced",
			"REASON MODEL CALLS TOKENS",
			"unknown_provider in-house-9 1 500",
		}},
		{"of the sessions of a tool that none called", []string{"--tool", "no such tool"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := squeezed(tc.args...); got != strings.Join(tc.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, strings.Join(tc.want, "\n"))
			}
		})
	}
	// The same rows as files.
	for format, check := range map[string]func(body []byte) error{
		"json": func(body []byte) error {
			var r usagereport.Report
			err := json.Unmarshal(body, &r)
			return errors.Join(err, rowsAre(4, len(r.Items)))
		},
		"ndjson": func(body []byte) error { return rowsAre(4, bytes.Count(body, []byte("\n"))) },
		"csv":    func(body []byte) error { return rowsAre(6, bytes.Count(body, []byte("\r\n"))) }, // with head and totals
		"parquet": func(body []byte) error {
			f, err := parquet.OpenFile(bytes.NewReader(body), int64(len(body)))
			if err != nil {
				return err
			}
			return rowsAre(4, int(f.NumRows()))
		},
	} {
		file := filepath.Join(t.TempDir(), "report")
		s.Must(t, "usage", "--tag", "report=table", "--group-by", "model", "--format", format, "-o", file)
		body, err := os.ReadFile(file)
		if err == nil {
			err = check(body)
		}
		if err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func rowsAre(want, got int) error {
	if got != want {
		return fmt.Errorf("%d rows, want %d", got, want)
	}
	return nil
}
