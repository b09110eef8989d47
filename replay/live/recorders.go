package live

import "tapedeck/schema"

// Recorders reports which recording processes are alive.
type Recorders interface {
	// IsLost reports whether the recorder with an id is lost, of a stream of the tenant; false
	// while that is unknown.
	IsLost(tenant, id string) bool
}

// recorded reports whether a stream may have more frames regardless of its silence: it
// has not ended, and its recorder is not lost.
func (o *Options) recorded(tenant string, s *schema.StreamState) bool {
	return s.Ended == 0 && s.Recorder != "" && o.Recorders != nil && !o.Recorders.IsLost(tenant, s.Recorder)
}
