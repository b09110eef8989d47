package anthropic_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// iteration is a part of a usage, as in the API's reference.
type iteration struct {
	Input   uint64 `json:"input_tokens"`
	Output  uint64 `json:"output_tokens"`
	Read    uint64 `json:"cache_read_input_tokens"`
	Written uint64 `json:"cache_creation_input_tokens"`
	Split   struct {
		FiveMinutes uint64 `json:"ephemeral_5m_input_tokens"`
		Hour        uint64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// Where the server compacts the context, the sum of the iterations is billed: the usage itself
// has the last iteration only.
func TestCompactionBillsIterations(t *testing.T) {
	const file = "anthropic_messages/anthropic_compaction_cache_stream.sse"
	var want schema.Tokens
	found, top := 0, uint64(0)
	for line := range bytes.Lines(dialecttest.Fixture(t, file)) {
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		var event struct {
			Type  string
			Usage struct {
				iteration
				Iterations []iteration
			}
		}
		if !ok || json.Unmarshal(data, &event) != nil || event.Type != "message_delta" {
			continue
		}
		top = event.Usage.Input
		for _, i := range event.Usage.Iterations {
			found++
			want.Input += i.Input
			want.Output += i.Output
			want.CacheRead += i.Read
			want.CacheWrite5m += i.Split.FiveMinutes
			want.CacheWrite1h += i.Split.Hour
			if i.Written != i.Split.FiveMinutes+i.Split.Hour {
				t.Fatalf("the capture's own split is not its sum: %+v", i)
			}
		}
	}
	if found < 2 || want.Input <= top {
		t.Fatalf("%d iterations with %d input tokens, %d of them in the last: the capture shows nothing", found, want.Input, top)
	}
	frames := capturetest.Cut(t, file, "")
	o := dialecttest.CutAnywhere(t, anthropic.Dialect, frames, frames[len(frames)-1].At)
	if len(o.Facts.Usages) != 1 {
		t.Fatalf("%d usages, want that of the one message", len(o.Facts.Usages))
	}
	u := o.Facts.Usages[0]
	if u.Tokens != want || u.Mode != schema.UsageAdd {
		t.Errorf("billed %+v (%s), want the sum of the iterations %+v", u.Tokens, u.Mode, want)
	}
}

func TestTotalAndBill(t *testing.T) {
	for _, test := range []struct {
		usage       string
		total, bill schema.Tokens
		counts      bool
	}{
		{`{"input_tokens":3,"output_tokens":4}`, schema.Tokens{Input: 3, Output: 4}, schema.Tokens{Input: 3, Output: 4}, true},
		{`{"cache_creation_input_tokens":9}`, schema.Tokens{CacheWrite5m: 9}, schema.Tokens{CacheWrite5m: 9}, true},
		{`{"cache_creation_input_tokens":9,"cache_creation":{"ephemeral_1h_input_tokens":9}}`,
			schema.Tokens{CacheWrite1h: 9}, schema.Tokens{CacheWrite1h: 9}, true},
		{`{"cache_creation_input_tokens":9,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}}`,
			schema.Tokens{CacheWrite5m: 9}, schema.Tokens{CacheWrite5m: 9}, true},
		{`{"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":3}}`,
			schema.Tokens{CacheWrite5m: 2, CacheWrite1h: 3}, schema.Tokens{CacheWrite5m: 2, CacheWrite1h: 3}, true},
		// More thinking than output is no part of it.
		{`{"output_tokens":5,"output_tokens_details":{"thinking_tokens":9}}`,
			schema.Tokens{Output: 5, Reasoning: 9}, schema.Tokens{Output: 5, Reasoning: 9}, true},
		{`{"output_tokens":5,"iterations":[]}`, schema.Tokens{Output: 5}, schema.Tokens{Output: 5}, true},
		{`{"output_tokens":5,"iterations":[{"output_tokens":7},{"output_tokens":5}]}`, schema.Tokens{Output: 5}, schema.Tokens{Output: 12}, true},
		// Counts that are stated for the whole usage only: of the cache, and for how long it was
		// written.
		{`{"input_tokens":6,"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":10},"output_tokens":8,` +
			`"iterations":[{"type":"message","input_tokens":6,"output_tokens":8,"cache_creation_input_tokens":10}]}`,
			schema.Tokens{Input: 6, CacheWrite1h: 10, Output: 8}, schema.Tokens{Input: 6, CacheWrite1h: 10, Output: 8}, true},
		{`{"input_tokens":6,"cache_read_input_tokens":7,"cache_creation_input_tokens":10,"output_tokens":8,` +
			`"iterations":[{"type":"compaction","input_tokens":90,"output_tokens":3},{"type":"message","input_tokens":6,"output_tokens":8}]}`,
			schema.Tokens{Input: 6, CacheRead: 7, CacheWrite5m: 10, Output: 8}, schema.Tokens{Input: 96, CacheRead: 7, CacheWrite5m: 10, Output: 11}, true},
		{`{"cache_creation_input_tokens":4,"cache_creation":{"ephemeral_1h_input_tokens":4},` +
			`"iterations":[{"cache_creation_input_tokens":9},{"cache_creation_input_tokens":4}]}`,
			schema.Tokens{CacheWrite1h: 4}, schema.Tokens{CacheWrite5m: 9, CacheWrite1h: 4}, true},
		{`{"service_tier":"standard"}`, schema.Tokens{}, schema.Tokens{}, false},
		{`null`, schema.Tokens{}, schema.Tokens{}, false},
	} {
		total, ok := anthropic.Total([]byte(test.usage))
		bill, billed := anthropic.Bill([]byte(test.usage), "")
		if total != test.total || bill != test.bill || ok != test.counts || billed != test.counts {
			t.Errorf("%s: total %+v (%v), bill %+v (%v)", test.usage, total, ok, bill, billed)
		}
	}
}
