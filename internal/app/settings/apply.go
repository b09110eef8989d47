package settings

import (
	"log/slog"

	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
)

// NodeConfig adds the settings to the configuration of a node.
func (s *Server) NodeConfig(cfg node.Config) (node.Config, error) {
	var err error
	if cfg.Redact, err = s.Engine(); err != nil {
		return cfg, err
	}
	cfg.SyncSpool, cfg.Thresholds, cfg.AuditRetention = s.Sync(), s.Health(), s.Retention()
	cfg.Rates, cfg.Recording, cfg.Spooling, cfg.Batches, cfg.Unstored = s.Rates(), s.Recording(), s.Spooling(), s.Batches(), s.Unstored()
	cfg.Recording.JSONDepth, cfg.MaxFrame = s.MaxJSONDepth, int(s.MaxFrameBytes)
	cfg.Streams = s.Streams(cfg.Streams)
	return cfg, nil
}

// ServerOptions adds the settings to the options of a server, except TLS.
func (s *Server) ServerOptions(o server.Options, log *slog.Logger) (_ server.Options, err error) {
	if o.Proxies, err = s.Proxies(); err != nil {
		return o, err
	}
	if o.AlertRules, err = s.AlertRules(); err != nil {
		return o, err
	}
	if o.AlertTargets, err = s.AlertTargets(s.PublicURL); err != nil {
		return o, err
	}
	o.Hosts, o.Origins, o.Erase, o.Log, o.Limits = s.Hosts(), s.AllowOrigin, s.ErasureOptions(), log, s.Limits()
	o.Concurrency, o.Headers, o.Slow, o.Query = s.Concurrency(), s.Headers(), s.Slow(), s.QueryLimits()
	o.Readers, o.QuietAfter, o.Pprof, o.DrainDelay = s.Budget(), s.QuietAfter, s.Pprof, s.DrainDelay
	o.SessionCacheBytes, o.Writers, o.Budgets = int64(s.SessionCacheBytes), s.WritersBudget(), s.budgets()
	return o, nil
}
