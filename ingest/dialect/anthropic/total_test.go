package anthropic_test

import (
	"testing"

	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/schema"
)

// A stated total that is less than the sum of the counts shows that the input includes the cache.
func TestStatedTotal(t *testing.T) {
	for usage, want := range map[string]schema.Tokens{
		`{"input_tokens":1000,"output_tokens":50,"cache_read_input_tokens":900}`: {
			Input: 1000, CacheRead: 900, Output: 50,
		},
		`{"input_tokens":1000,"output_tokens":50,"cache_read_input_tokens":900,"total_tokens":1950}`: {
			Input: 1000, CacheRead: 900, Output: 50,
		},
		`{"input_tokens":1000,"output_tokens":50,"cache_read_input_tokens":900,"total_tokens":1050}`: {
			Input: 100, CacheRead: 900, Output: 50,
		},
		`{"input_tokens":1000,"output_tokens":50,"cache_read_input_tokens":900,"total_tokens":1070}`: { // with thinking
			Input: 100, CacheRead: 900, Output: 50,
		},
		`{"input_tokens":10,"output_tokens":50,"cache_read_input_tokens":900,"total_tokens":60}`: { // of the rest
			Input: 10, CacheRead: 900, Output: 50,
		},
	} {
		if got, ok := anthropic.Total([]byte(usage)); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", usage, got, want)
		}
	}
}
