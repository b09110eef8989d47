package bench

import (
	"context"
	"fmt"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
)

// publishStage measures publishing ready blocks, and JetStream by itself.
type publishStage struct {
	blocks, large sizes
	ours          Laps // through the Publisher; Bytes and Messages are those of the blocks
	ourLarge      Laps // the same with the large blocks
	raw           Laps // the bytes of the blocks in messages of 64 KiB
	same          Laps // the messages of ours without the Publisher
}

// sizes are those of some blocks.
type sizes struct{ count, bytes int }

func (s sizes) String() string {
	return fmt.Sprintf("%s of %.1f KB on average", count(float64(s.count)), float64(s.bytes)/float64(s.count)/1e3)
}

func sizesOf(blocks []ingest.EncodedBlock) (s sizes) {
	for _, b := range blocks {
		s.count, s.bytes = s.count+1, s.bytes+len(b.Data)
	}
	return s
}

// rawMessage is the size of the ceiling's messages, bytes.
const rawMessage = 64 << 10

// rawSubject is a subject of the stream of blocks.
var rawSubject = ingest.Subject(ingest.DefaultTenant, "raw")

func (s *publishStage) measure(ctx context.Context, w *workshop) (err error) {
	blocks, err := w.encodedBlocks(ctx)
	if err != nil {
		return err
	}
	var all []byte
	for _, b := range blocks {
		all = append(all, b.Data...)
	}
	var large memoryPublisher
	if _, err := tap(ctx, w.path, &large, ingest.StreamOptions{Session: "one"}); err != nil {
		return err
	}
	s.blocks, s.large = sizesOf(blocks), sizesOf(large.blocks)
	var whole, own []message
	for ; len(all) > 0; all = all[min(rawMessage, len(all)):] {
		whole = append(whole, message{rawSubject, all[:min(rawMessage, len(all))], 0})
	}
	for _, b := range blocks {
		own = append(own, message{rawSubject, b.Data, b.Frames})
	}
	b, err := startBroker(w, "publish", false)
	if err != nil {
		return err
	}
	defer func() { err = b.close(ctx, err) }()
	for range full(w, 3, 1) { // in turns, so that other load affects all
		for _, turn := range []struct {
			into *Laps
			run  func(time.Duration) (Lap, error)
		}{
			{&s.ours, func(d time.Duration) (Lap, error) { return b.publish(ctx, blocks, jetstream.Written, d) }},
			{&s.ourLarge, func(d time.Duration) (Lap, error) { return b.publish(ctx, large.blocks, jetstream.Written, d) }},
			{&s.raw, func(d time.Duration) (Lap, error) { return b.publishRaw(ctx, whole, d) }},
			{&s.same, func(d time.Duration) (Lap, error) { return b.publishRaw(ctx, own, d) }},
		} {
			run, err := turn.run(full(w, 2*time.Second, 200*time.Millisecond))
			if err != nil {
				return err
			}
			*turn.into = append(*turn.into, run)
		}
	}
	return nil
}

func (s *publishStage) write(p *page) {
	p.text("The blocks that the file comes to (%v, compressed, facts included) are ready in memory and are published\n"+
		"again and again, each time under new ids, until all are confirmed. Its sessions are short, and a block belongs to one session; so\n"+
		"the same once more with the blocks that the frames come to as one session (%v), which are sent one by one; those of several\n"+
		"sessions go together in messages of up to 64 KiB (docs/adr/0005-bundles.md).\n"+
		"The ceiling is JetStream with the bytes of the former in messages of 64 KiB, on the same server, with the same settings of the\n"+
		"stream, asynchronously, with as many bytes in flight; and in messages of the blocks' own sizes, which shows what of the\n"+
		"difference is the messages and what the publisher. The bar holds the file's own blocks against messages of 64 KiB.",
		s.blocks, s.large)
	p.table("| | frames/s | bytes/s | blocks or messages/s | of raw JetStream's bytes/s |", "|---|---:|---:|---:|---:|")
	ceiling := s.raw.Median().ByteRate()
	for _, c := range []struct {
		name string
		laps Laps
	}{
		{"publish, the file's blocks", s.ours}, {"publish, blocks of one session", s.ourLarge},
		{"raw JetStream, messages of 64 KiB", s.raw}, {"raw JetStream, messages as the file's blocks", s.same},
	} {
		m := c.laps.Median()
		frames := ""
		if m.Frames > 0 {
			frames = c.laps.median()
		}
		p.row(c.name, frames, megabytes(m.ByteRate()), count(m.MessageRate()), ratio(m.ByteRate()/ceiling))
	}
}

func (s *publishStage) bars() []bar {
	if len(s.ours) == 0 {
		return []bar{atLeast("publish, of raw JetStream's bytes/s", false, 0, 0.5, ratio)}
	}
	return []bar{atLeast("publish, of raw JetStream's bytes/s", true, s.ours.Median().ByteRate()/s.raw.Median().ByteRate(), 0.5, ratio)}
}
