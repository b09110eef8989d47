package keys

import "tapedeck/schema"

// Verifier compares repeated input with the log. Masked frames, whose bytes are not in the log, are
// compared by their length only.
type Verifier struct {
	digest *Digest
	want   string  // expected digest; "" if only the length is known
	at     uint64  // number of the next unit
	left   uint64  // units that have not been compared yet
	gaps   []gap   // the masked frames from at on
	input  *Digest // receives all units as well; may be nil
}

// Verifier returns the verifier for the part of the body that is durable already.
func (c *Claim) Verifier() *Verifier {
	c.verifier = &Verifier{
		digest: newDigest(c.req.Unit, 0), want: c.expected, at: c.req.Offset, left: c.known.durable() - c.req.Offset,
		gaps: c.known.gaps, input: c.input,
	}
	return c.verifier
}

// Left returns how many units have not been compared yet.
func (v *Verifier) Left() uint64 { return v.left }

// AddBytes adds repeated bytes, at most Left. When all known bytes were added and their digest
// differs, it fails with ErrMismatch.
func (v *Verifier) AddBytes(p []byte) error {
	if v.input != nil {
		v.input.AddBytes(p)
	}
	for len(p) > 0 {
		n, known := v.next(uint64(len(p)))
		if known {
			v.digest.AddBytes(p[:n])
		}
		p = p[n:]
	}
	return v.check()
}

// AddFrame adds a repeated message, like AddBytes.
func (v *Verifier) AddFrame(f *schema.Frame) error {
	if v.input != nil {
		v.input.Add(f)
	}
	if _, known := v.next(1); known {
		v.digest.Add(f)
	}
	return v.check()
}

// next takes up to n units and reports whether the log has their content.
func (v *Verifier) next(n uint64) (taken uint64, known bool) {
	taken, known = n, true
	if len(v.gaps) > 0 {
		g := v.gaps[0]
		if known = v.at < g.from; known {
			taken = min(n, g.from-v.at)
		} else if taken = min(n, g.to-v.at); v.at+taken == g.to {
			v.gaps = v.gaps[1:]
		}
	}
	v.at += taken
	v.left -= taken
	return taken, known
}

func (v *Verifier) check() error {
	if v.left == 0 && v.want != "" && v.digest.String() != v.want {
		return ErrMismatch
	}
	return nil
}

// expectedTail returns the digest of a finished stream, starting at the request's offset, "" if it
// is not known.
func (k *Known) expectedTail(req *Request) string {
	switch req.Offset {
	case 0:
		return k.result.Digest
	case k.result.Tail:
		return k.result.TailDigest
	}
	return ""
}
