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
)

// writeSpans writes what was done in a session: its spans, or its steps as a trajectory.
func (e *Export) writeSpans(ctx context.Context, out *output.File, t replay.Tape, id string) (string, error) {
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
