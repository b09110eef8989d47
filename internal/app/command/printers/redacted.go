package printers

import (
	"bytes"
	"fmt"
	"io"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/console"
)

// Redacted writes what was masked, or with dryRun what would be masked; waited reports whether the
// replaced files were removed.
func Redacted(w io.Writer, results []*redecode.Redacted, dryRun, waited bool) error {
	verb := "were masked"
	if dryRun {
		verb = "would be masked"
	}
	var out bytes.Buffer
	for _, r := range results {
		if !r.Changed {
			fmt.Fprintf(&out, "%s: no secrets were found\n", console.Clip(r.SessionID, 60))
			continue
		}
		if len(r.Counts) == 0 {
			fmt.Fprintf(&out, "%s: no secrets were found; copies of frames, which an import or an interrupted masking leaves, were removed\n", console.Clip(r.SessionID, 60))
			continue
		}
		fmt.Fprintf(&out, "%s: secrets %s: %s\n", console.Clip(r.SessionID, 60), verb, redactedRules(r.Counts))
		t := console.NewTable(&out, "frame", "byte", "length", "rule", "placeholder")
		for _, item := range r.Items {
			t.Row(item.Position, item.Offset, item.Length, item.Rule, item.Placeholder)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for _, remark := range r.Remarks {
			fmt.Fprintln(&out, "note: "+remark)
		}
		if !dryRun && !waited {
			fmt.Fprintln(&out, "note: ClickHouse removes the files that were replaced within some 13 minutes; --wait waits for that")
		}
	}
	_, err := out.WriteTo(w)
	return err
}
