package sessionexport

import (
	"context"

	"tapedeck/ingest"
	"tapedeck/internal/app/command/output"
	"tapedeck/internal/app/command/sessionotlp"
	"tapedeck/internal/app/command/tapefacts"
	"tapedeck/internal/app/command/traceevents"
	"tapedeck/internal/console"
	"tapedeck/query/pricing/prices"
	"tapedeck/replay"
	"tapedeck/replay/tapefile"
)

// writeSpans writes the spans of a session. The session of a cut-off tape has no facts, so it is an error.
func (e *Export) writeSpans(ctx context.Context, out *output.File, f *tapefile.File, t replay.Tape, id string) (string, error) {
	if err := f.Break(); err != nil {
		return "", err
	}
	s, err := tapefacts.Read(ctx, t, id, prices.Standard(), ingest.DefaultTenant)
	if err != nil {
		return "", err
	}
	var n int
	if e.Format == "otlp" {
		n, err = sessionotlp.Write(out, s, sessionotlp.Options{Version: e.Version, Content: e.Content})
	} else {
		n, err = traceevents.Write(out, s)
	}
	return console.Count(n, "span") + ", " + console.Count(out.Written(), "byte"), err
}
