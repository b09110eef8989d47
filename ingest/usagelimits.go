package ingest

// keepLimits takes the limits that frames stated into the states of their sessions.
func (s *segmenter) keepLimits() {
	for _, l := range s.emitter.TakeLimits() {
		g := s.bySession[s.sessionOf(l.Session)]
		switch {
		case g == nil: // it was evicted with the session's share of the stream
		case g.limits.Set(l.Limit):
			g.state.Limits = g.limits.Text()
		default:
			limits.WithLabelValues("usage-limits").Inc()
		}
	}
}
