package ingest

import (
	"bytes"
	"slices"

	"tapedeck/schema"
)

// cloneFrame returns a copy of a frame that shares no bytes with it. It does not copy the texts of
// the envelope.
func cloneFrame(f *schema.Frame) schema.Frame {
	c := *f
	c.Raw, c.Cuts = bytes.Clone(f.Raw), slices.Clone(f.Cuts)
	return c
}
