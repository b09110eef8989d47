package charges

import (
	"encoding/hex"
	"testing"

	"tapedeck/query"
)

// A cursor that is accepted is the one of its place, and what goes into a statement is
// hexadecimal.
func FuzzParseCursor(f *testing.F) {
	for _, m := range []query.Mark{
		{List: listName, Key: 1, ID: "6f6e65.7573616765"}, {List: listName, Key: 0, ID: "."}, {List: listName, Key: -1, ID: "61.62"},
		{List: listName, Key: 1, ID: "61"}, {List: listName, Key: 1, ID: "zz.61"}, {List: "sessions", Key: 1, ID: "61.62"},
	} {
		f.Add(*m.Cursor())
	}
	f.Add("")
	f.Add("!")
	f.Fuzz(func(t *testing.T, cursor string) {
		after, args, err := parseCursor(cursor)
		if err != nil || after == nil {
			if err == nil && cursor != "" {
				t.Errorf("%q is taken for no cursor", cursor)
			}
			return
		}
		for _, name := range []string{"after_session", "after_usage"} {
			text, _ := args[name].(string)
			if _, err := hex.DecodeString(text); err != nil {
				t.Errorf("%q: %s is %q", cursor, name, text)
			}
		}
		again, _, err := parseCursor(*after.Cursor())
		if err != nil || *again != *after {
			t.Errorf("%q: %+v, and again %+v, %v", cursor, after, again, err)
		}
	})
}
