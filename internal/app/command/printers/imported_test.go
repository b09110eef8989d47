package printers

import (
	"bytes"
	"testing"

	"tapedeck/internal/app/command/tapeimport"
)

// The notes on an incomplete tape are about the tape: the server may have the session whole.
func TestMissing(t *testing.T) {
	const next = `; unless the server has all of it, "tapedeck redecode s" derives the facts of the frames that came`
	for _, tc := range []struct {
		session tapeimport.Session
		check   bool
		want    string
	}{
		{tapeimport.Session{ID: "s", Frames: 3, Missing: 2}, false, "note     the tape lacks the last 2 frames, and facts, of session s" + next + "\n"},
		{tapeimport.Session{ID: "s", Frames: 3}, true, "note     the tape lacks facts of session s\n"},
		{tapeimport.Session{ID: "s", Missing: 5}, false, "note     none of the frames of session s on the tape can be read\n"},
		{tapeimport.Session{ID: "s", Frames: 3, Facts: 1}, false, ""},
	} {
		var out bytes.Buffer
		if Missing(&out, []*tapeimport.Session{&tc.session}, tc.check); out.String() != tc.want {
			t.Errorf("%+v:\n%q, want\n%q", tc.session, out.String(), tc.want)
		}
	}
}
