package block

// Decoder decodes blocks and reuses its buffers.
type Decoder struct {
	body []byte
}

// Decode decodes a block into blk and reuses blk.Frames and blk.Left. Strings and bytes of the
// block alias the decoder's buffer: they are valid until the next Decode. The error is ErrFormat or
// ErrVersion.
func (d *Decoder) Decode(p []byte, blk *Block) error {
	body, err := open(p, d.body)
	if err != nil {
		return err
	}
	d.body = body
	return decodeBody(body, blk)
}

// Decode decodes a block that owns its strings and bytes.
func Decode(p []byte) (*Block, error) {
	body, err := open(p, nil)
	if err != nil {
		return nil, err
	}
	blk := &Block{}
	return blk, decodeBody(body, blk)
}

func decodeBody(body []byte, blk *Block) error {
	r := reader{b: body}
	blk.Tenant, blk.Session = r.string(), r.string()
	if err := readStates(r.record(), blk); err != nil {
		return err
	}
	blk.Facts = readFacts(&r)
	n := r.count(1)
	meta := reader{b: r.bytes(r.uint())}
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
