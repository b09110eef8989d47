package live

import "tapedeck/schema"

// Recorders reports which recording processes are alive.
type Recorders interface {
	// IsLost reports whether the recorder with an id, which recorded a stream of the tenant, is
	// lost. It returns false while that is unknown.
	IsLost(tenant, id string) bool
}

// recorded reports whether a stream may have more frames even if it is silent: it has not ended,
// and its recorder is not lost.
func (o *Options) recorded(tenant string, s *schema.StreamState) bool {
	return s.Ended == 0 && s.Recorder != "" && o.Recorders != nil && !o.Recorders.IsLost(tenant, s.Recorder)
}
