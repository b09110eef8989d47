package sessionexport

import (
	"context"

	"tapedeck/ingest"
	"tapedeck/internal/app/command/atif"
	"tapedeck/internal/app/command/output"
	"tapedeck/internal/app/command/traceevents"
	"tapedeck/internal/app/sessionotlp"
	"tapedeck/internal/app/tapefacts"
	"tapedeck/internal/console"
	"tapedeck/query/pricing/prices"
	"tapedeck/replay"
	"tapedeck/replay/tapefile"
)

// writeSpans writes what was done in a session: its spans, or its steps as a trajectory. The session of a cut-off tape has no facts, so it is an error.
func (e *Export) writeSpans(ctx context.Context, out *output.File, f *tapefile.File, t replay.Tape, id string) (string, error) {
	if err := f.Break(); err != nil {
		return "", err
	}
	s, err := tapefacts.Read(ctx, t, id, prices.Standard(), ingest.DefaultTenant)
	if err != nil {
		return "", err
	}
	var n int
	what := "span"
	switch e.Format {
	case "otlp":
		n, err = sessionotlp.Write(out, s, sessionotlp.Options{Version: e.Version, Content: e.Content})
	case "atif":
		what = "step"
		n, err = atif.Write(out, s)
	default:
		n, err = traceevents.Write(out, s)
	}
	return console.Count(n, what) + ", " + console.Count(out.Written(), "byte"), err
}
