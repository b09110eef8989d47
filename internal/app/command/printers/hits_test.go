package printers

import (
	"strings"
	"testing"

	"tapedeck/query/search"
)

// What a search says about the rest of its answer names the flag that goes on, if one does.
func TestExplainSearch(t *testing.T) {
	reason, next := "The search ended after 3s, which is its limit.", "eyJsIjoi"
	hits := []search.Hit{{}}
	for _, tc := range []struct {
		found     search.Answer
		filtered  bool
		continued bool
		want      string
	}{
		{search.Answer{Partial: true, Reason: &reason, Next: &next}, false, false,
			reason + " Go on with --cursor eyJsIjoi, or narrow the search with --from, --to or --session.\n"},
		{search.Answer{Partial: true, Reason: &reason, Scanned: []string{"=>"}}, false, false,
			reason + " The index does not cover =>. Narrow the search with --from, --to or --session.\n"},
		{search.Answer{Items: hits, Next: &next}, true, true, "There are more: -n 100, or --cursor eyJsIjoi\n"},
		{search.Answer{Items: hits}, true, true, ""},
		{search.Answer{}, true, true, "Nothing more matches.\n"},
		{search.Answer{}, true, false, "Nothing matches with these flags. Leave one out to find more.\n"},
		{search.Answer{}, false, false, "Nothing matches.\n"},
	} {
		var b strings.Builder
		ExplainSearch(&b, &tc.found, tc.filtered, tc.continued)
		if b.String() != tc.want {
			t.Errorf("%q, want %q", b.String(), tc.want)
		}
	}
}
