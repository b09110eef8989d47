package printers

import (
	"bytes"
	"testing"

	"tapedeck/ingest/redecode"
)

func TestRedactedCopies(t *testing.T) {
	var out bytes.Buffer
	if err := Redacted(&out, []*redecode.Redacted{{SessionID: "s", Changed: true}}, false, false); err != nil {
		t.Fatal(err)
	}
	const want = "s: no secrets were found; copies of frames, which an import or an interrupted masking leaves, were removed\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
