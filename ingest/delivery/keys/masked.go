package keys

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"tapedeck/schema"
)

// A stream's secrets are masked before its blocks are encoded, so a log has other bytes than were
// sent. Offsets of a client count the bytes that were sent. The log therefore describes each masked
// frame as it was sent. It has no digest of these bytes, which would help to guess a short secret.

// Sent describes a frame as it was sent.
type Sent struct {
	Length  int    // bytes
	LineEnd string // the CR and LF at its end, the last four at most; only for masked frames
	Masked  bool   // the log has other bytes
}

// maskedFrame is a masked frame.
type maskedFrame struct {
	seq uint64
	Sent
}

// lineEnd returns Sent.LineEnd.
func lineEnd(raw []byte) string {
	n := 0
	for n < min(longestEnd, len(raw)) && strings.IndexByte("\r\n", raw[len(raw)-1-n]) >= 0 {
		n++
	}
	return string(raw[len(raw)-n:])
}

const longestEnd = len("\r\n\r\n")

// gap is a range of units whose content is not in the log.
type gap struct{ from, to uint64 }

// appendGap appends a gap that follows the others.
func appendGap(gaps []gap, g gap) []gap {
	if n := len(gaps); n > 0 && gaps[n-1].to == g.from {
		gaps[n-1].to = g.to
		return gaps
	}
	return append(gaps, g)
}

// originals describes frames as they were sent until it is known whether they are masked.
type originals struct {
	mu     sync.Mutex // guards all below
	next   uint64     // seq of the frame of sent[0]
	sent   []Sent
	masked []maskedFrame // frames that no block has stated yet
}

// add adds the bytes of the next frame.
func (o *originals) add(raw []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, Sent{len(raw), lineEnd(raw), true})
}

// passed takes the next frame after it was masked, and before it is in a block.
func (o *originals) passed(f *schema.Frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if f.Seq < o.next || len(o.sent) == 0 {
		return // a frame of the log
	}
	sent := o.sent[0]
	o.next, o.sent = o.next+1, o.sent[1:]
	if f.Flags.Has(schema.FlagRedacted) {
		o.masked = append(o.masked, maskedFrame{f.Seq, sent})
	}
}

// take returns the masked frames for the next block. The frames of a block were passed before.
func (o *originals) take() []maskedFrame {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.masked
	o.masked = nil
	return taken
}

// Line ends are letters in a header, which cannot hold them.
var (
	toLetters   = strings.NewReplacer("\r", "r", "\n", "n")
	fromLetters = strings.NewReplacer("r", "\r", "n", "\n")
)

// maskedText returns the value of headerMasked.
func maskedText(frames []maskedFrame) string {
	var text []byte
	for i, f := range frames {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, f.seq, 10)
		text = append(text, '=')
		text = strconv.AppendInt(text, int64(f.Length), 10)
		text = append(text, toLetters.Replace(f.LineEnd)...)
	}
	return string(text)
}

// maskedOf returns the masked frames that the header of a message states.
func maskedOf(h nats.Header) (frames []maskedFrame, err error) {
	text := h.Get(headerMasked)
	if text == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		f, err := parseMasked(item)
		if err != nil {
			return nil, fmt.Errorf("log of an idempotency key: header %s: %w", headerMasked, err)
		}
		frames = append(frames, f)
	}
	return frames, nil
}

func parseMasked(item string) (maskedFrame, error) {
	first, second, _ := strings.Cut(item, "=")
	seq, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return maskedFrame{}, err
	}
	digits := strings.TrimRight(second, "rn")
	length, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return maskedFrame{}, err
	}
	return maskedFrame{seq, Sent{int(length), fromLetters.Replace(second[len(digits):]), true}}, nil
}
