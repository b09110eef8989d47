package block

import "cmp"

// Decoder decodes blocks and reuses its buffers.
type Decoder struct {
	// Limit bounds the memory of a decoded block, bytes: its body, and the frames and facts that the
	// body lists. 0 stands for MaxBody.
	Limit int
	body  []byte
}

// Decode decodes a block into blk and reuses blk.Frames and blk.Left. Strings and bytes of the
// block alias the decoder's buffer: they are valid until the next Decode. The error is ErrFormat or
// ErrVersion.
func (d *Decoder) Decode(p []byte, blk *Block) error {
	limit := cmp.Or(d.Limit, MaxBody)
	body, err := open(p, d.body, limit)
	if err != nil {
		return err
	}
	d.body = body
	return decodeBody(body, blk, limit)
}

// Decode decodes a block that owns its strings and bytes.
func Decode(p []byte) (*Block, error) {
	blk := &Block{}
	return blk, new(Decoder).Decode(p, blk)
}

// decodeBody decodes a body that takes at most limit bytes of memory together with its items.
func decodeBody(body []byte, blk *Block, limit int) error {
	room := limit - len(body)
	r := reader{b: body, room: &room}
	blk.Tenant, blk.Session = r.string(), r.string()
	if err := readStates(r.record(), blk); err != nil {
		return err
	}
	blk.Facts = readFacts(&r)
	n := r.items(1, frameMemory)
	meta := reader{b: r.bytes(r.uint()), room: &room}
	if r.err != nil {
		return r.err
	}
	if n > len(meta.b) {
		r.fail("more frames than bytes")
		return r.err
	}
	blk.Frames = readFrames(&meta, r.b, n, blk.Frames[:0])
	return meta.err
}
