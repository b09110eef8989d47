package bench

import (
	"context"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
)

// Publish compares publishing prepared blocks with publishing to JetStream alone. Bytes and
// Messages of the passes count the blocks.
type Publish struct {
	Blocks   BlockSizes `json:"blocks"`       // of the file
	Large    BlockSizes `json:"large_blocks"` // of the file as one session
	File     Passes     `json:"file"`         // the file's blocks through the Publisher
	OneLarge Passes     `json:"one_session"`  // the large blocks through the Publisher
	Raw      Passes     `json:"raw"`          // the bytes of the file's blocks in messages of 64 KiB, without the Publisher
	Same     Passes     `json:"raw_same"`     // the file's blocks as messages, without the Publisher
}

// BlockSizes holds the number and the total size of some blocks.
type BlockSizes struct {
	Count int `json:"count"`
	Bytes int `json:"bytes"`
}

// Mean returns the mean size of a block, KB.
func (s BlockSizes) Mean() float64 { return float64(s.Bytes) / float64(s.Count) / 1e3 }

// Share returns the byte rate of passes as a share of the byte rate of raw JetStream with messages
// of 64 KiB.
func (p *Publish) Share(of Passes) float64 { return of.Median().ByteRate() / p.Raw.Median().ByteRate() }

func sizesOf(blocks []ingest.EncodedBlock) (s BlockSizes) {
	for _, b := range blocks {
		s.Count, s.Bytes = s.Count+1, s.Bytes+len(b.Data)
	}
	return s
}

// rawMessage is the size of messages when JetStream is measured alone, bytes.
const rawMessage = 64 << 10

// rawSubject is a subject of the stream of blocks.
var rawSubject = ingest.Subject(ingest.DefaultTenant, "raw")

func measurePublish(ctx context.Context, h *harness, r *Results) (err error) {
	blocks, err := h.encodedBlocks(ctx)
	if err != nil {
		return err
	}
	var large memoryPublisher
	if _, err := tap(ctx, h.path, &large, ingest.StreamOptions{Session: "one"}); err != nil {
		return err
	}
	var all []byte
	var whole, own []message
	for _, b := range blocks {
		all = append(all, b.Data...)
		own = append(own, message{rawSubject, b.Data, b.Frames})
	}
	for ; len(all) > 0; all = all[min(rawMessage, len(all)):] {
		whole = append(whole, message{rawSubject, all[:min(rawMessage, len(all))], 0})
	}
	b, err := startBroker(h, "publish", false)
	if err != nil {
		return err
	}
	defer func() { err = b.close(ctx, err) }()
	p := &Publish{Blocks: sizesOf(blocks), Large: sizesOf(large.blocks)}
	r.Publish = p
	d := pick(h, 2*time.Second, 200*time.Millisecond)
	return alternate(pick(h, 3, 1),
		turn{&p.File, func() (Pass, error) { return b.publish(ctx, blocks, jetstream.Written, d) }},
		turn{&p.OneLarge, func() (Pass, error) { return b.publish(ctx, large.blocks, jetstream.Written, d) }},
		turn{&p.Raw, func() (Pass, error) { return b.publishRaw(ctx, whole, d) }},
		turn{&p.Same, func() (Pass, error) { return b.publishRaw(ctx, own, d) }})
}
