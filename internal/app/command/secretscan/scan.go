// Package secretscan lists the secrets in files, as a dry run of masking.
package secretscan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"tapedeck/ingest"
	"tapedeck/ingest/redact"
	"tapedeck/ingest/redecode"
	"tapedeck/ingest/tap/file"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// File lists the secrets in a file. It stores nothing.
func File(ctx context.Context, path string, rules *redact.Engine) (*redecode.Redacted, error) {
	r := &redecode.Redacted{SessionID: path, DryRun: true, Counts: map[string]uint64{},
		Items: []redecode.RedactedItem{}}
	var err error
	if tapefile.IsTape(path) {
		err = redactTape(path, rules, r)
	} else {
		settings := ingest.Settings{Redact: rules, Masked: func(f *schema.Frame, found redact.Found) {
			r.Counts[found.Rule]++
			r.Items = append(r.Items, redecode.RedactedItem{Position: strconv.FormatUint(f.Seq, 10), Found: found})
		}}
		_, err = file.Record(ctx, ingest.NewRecorder(nowhere{}, settings), ingest.StreamOptions{},
			file.Options{Path: path})
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	r.Changed = len(r.Items) > 0
	return r, nil
}

// nowhere is a publisher that discards blocks.
type nowhere struct{}

// Publish implements ingest.Publisher.
func (nowhere) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	go done(nil)
	return nil
}

// redactTape lists the secrets of a tape file, stream by stream.
func redactTape(path string, rules *redact.Engine, r *redecode.Redacted) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	maskers, discard := map[string]*redact.Masker{}, func(*schema.Frame) {}
	scanner := tapefile.NewScanner(f)
	for {
		record, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if record.Kind != tapefile.KindFrames {
			continue
		}
		err = record.Blocks(true, func(b *block.Block) error {
			id := b.State.StreamID
			m := maskers[id]
			if m == nil {
				m = rules.NewMasker()
				m.Report(func(f *schema.Frame, found redact.Found) {
					r.Counts[found.Rule]++
					r.Items = append(r.Items,
						redecode.RedactedItem{Position: schema.PositionOf(id, f).String(), Found: found})
				})
				maskers[id] = m
			}
			for i := range b.Frames {
				m.Push(&b.Frames[i], discard)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, m := range maskers {
		m.End(discard)
	}
	return nil
}
