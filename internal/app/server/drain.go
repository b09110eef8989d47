package server

import "time"

// drain makes the process unready, and returns after load balancers have had time to notice.
func (s *Server) drain() {
	s.stopping.Store(true)
	s.Manager.Stopping()
	if s.DrainDelay <= 0 {
		s.Log.Info("server: stopping")
		return
	}
	s.Log.Info("server: stopping, /readyz answers 503 and requests are answered meanwhile", "for", s.DrainDelay)
	time.Sleep(s.DrainDelay)
	s.Log.Info("server: stopping, requests are ended")
}
