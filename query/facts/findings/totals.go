package findings

import (
	"encoding/json"

	"tapedeck/query"
)

type totalRow struct {
	Session string `ch:"session_id"`
	Kind    string `ch:"kind"`
	Of      string `ch:"of"`
	Run     string `ch:"run"`
	Raw     string `ch:"raw"`
	Stated  int64  `ch:"stated_tokens"` // for a running total
	Tokens  int64  `ch:"tokens"`
	Known   bool   `ch:"is_known"` // whether Tokens is known
}

func (r *totalRow) total() Total {
	t := Total{Kind: TotalKind(r.Kind), Of: r.Of, RunID: query.Named(r.Run), Raw: query.RawJSON(r.Raw)}
	switch t.Kind {
	case RestTotal: // the tokens are the part of the total beyond the calls
		t.Difference = &r.Tokens
		if stated, _, ok := readTotal(t.Raw); ok {
			calls := stated - r.Tokens
			t.Stated, t.Calls = &stated, &calls
		}
	case RunningTotal:
		t.compare(r.Stated, r.Tokens)
	case RunTotal:
		stated, ofRun, ok := readTotal(t.Raw)
		switch {
		case ok && ofRun && r.Known:
			t.compare(stated, r.Tokens)
		case ok:
			t.Stated = &stated
		}
	}
	return t
}

func (t *Total) compare(stated, calls int64) {
	difference := stated - calls
	t.Stated, t.Calls, t.Difference = &stated, &calls, &difference
}

// totalForms lists the members that add up to a total. The first form that has any member present
// applies. ofAgent marks forms whose total is that of an agent so far, not of a run.
var totalForms = []struct {
	members [][]string // of each list the first member that is present
	ofAgent bool
}{
	{members: [][]string{{"total_tokens", "totalTokens"}}},
	{members: [][]string{{"prompt_tokens", "promptTokens"}, {"completion_tokens", "completionTokens"}}},
	{ofAgent: true, members: [][]string{{"input_tokens"}, {"cache_read_tokens"}, {"cache_write_tokens"},
		{"output_tokens"}}},
	{members: [][]string{{"input_tokens"}, {"cache_read_input_tokens"}, {"cache_creation_input_tokens"},
		{"output_tokens"}}},
}

// readTotal adds up the tokens of a total in the source's form. ofRun is false for a total of an
// agent so far.
func readTotal(raw json.RawMessage) (tokens int64, ofRun, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return 0, false, false
	}
	for _, form := range totalForms {
		if form.ofAgent && members["cache_read_tokens"] == nil && members["cache_write_tokens"] == nil {
			continue
		}
		sum, found := int64(0), false
		for _, names := range form.members {
			for _, name := range names {
				var n int64
				if text := members[name]; text != nil && json.Unmarshal(text, &n) == nil {
					sum, found = sum+n, true
					break
				}
			}
		}
		if found {
			return sum, !form.ofAgent, true
		}
	}
	return 0, false, false
}
