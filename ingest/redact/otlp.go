package redact

import (
	"tapedeck/internal/otlpwire"
	"tapedeck/schema"
)

// pushOTLP processes a frame that is a binary export request of OTLP, and reports whether it is one.
// Each text of the request is masked by itself, since the message states the lengths of its texts.
func (m *Masker) pushOTLP(f *schema.Frame, pass func(*schema.Frame)) bool {
	masked, ok := otlpwire.MaskBinary(f.Raw, m.Text)
	if !ok {
		return false
	}
	if len(m.held) > 0 {
		m.Release(pass)
	}
	if len(masked) > 0 && &masked[0] != &f.Raw[0] {
		f.Raw, f.Cuts = masked, nil
		f.Flags |= schema.FlagRedacted
	}
	m.frame++
	pass(f)
	return true
}
