package play

import (
	"bytes"
	"strings"
	"testing"
)

// The messages of a playback are copied as they are, and the last one says whether it came to its end.
func TestCopyEvents(t *testing.T) {
	const frame = `{"type":"error","stream_id":"s1","frame":{}}` + "\n"
	for in, want := range map[string]string{
		frame + `{"type":"end","frames":1}` + "\n":                   "",
		frame + `{"type":"error","detail":"It was deleted."}` + "\n": "It was deleted.",
		frame:                      "the server ended it without an end message",
		frame + `{"type":"end","f`: "the server ended it without an end message",
		"":                         "the server ended it without an end message",
	} {
		var out bytes.Buffer
		err := CopyEvents(&out, strings.NewReader(in))
		if out.String() != in {
			t.Errorf("%q was copied as %q", in, out.String())
		}
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}
