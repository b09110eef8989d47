package settings

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest/redact"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
)

// watchInterval is the interval at which a server reads its configuration file to find changes.
const watchInterval = 2 * time.Second

// redaction lists the settings of the rules for secrets.
var redaction = []string{"no-redact", "redact-rule", "secret-env"}

// Running is a server whose settings can be reloaded. Only Run uses it.
type Running struct {
	Log     *slog.Logger
	Output  *LogOutput
	Node    *node.Node
	Server  *server.Server
	Current []Effective // the settings in force
	// Read reads all settings again.
	Read func() (*Server, *Sources, error)
}

// Run reloads the settings at each signal and when the configuration file changes, until ctx ends.
// It reads the file at intervals, since a mounted file is replaced through links.
func (r *Running) Run(ctx context.Context, file string, signals <-chan os.Signal) {
	before := content(file)
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			before = content(file)
		case <-tick.C:
			now := content(file)
			if bytes.Equal(now, before) {
				continue
			}
			before = now
		}
		r.reload()
	}
}

// content returns a text that differs if a file has changed: its text, or why it cannot be read;
// nil without a file.
func content(path string) []byte {
	if path == "" {
		return nil
	}
	text, err := fileText(path)
	if err != nil {
		return []byte(err.Error())
	}
	return text
}

// reload reads the settings and applies those that a running server accepts. If any setting is
// invalid, nothing changes.
func (r *Running) reload() {
	s, sources, err := r.Read()
	var rules *redact.Engine
	if err == nil {
		rules, err = s.Engine()
	}
	if err == nil {
		err = s.Load()
	}
	if err != nil {
		r.Log.Error("settings: not reloaded, the former ones stay in force", "error", err)
		return
	}
	applied, restart := changes(r.Current, sources.Effective())
	r.Output.Set(&s.Log)
	r.Node.SetThresholds(s.Health())
	if slices.ContainsFunc(applied, func(name string) bool {
		return strings.HasSuffix(strings.TrimSuffix(name, "-per-tenant"), "-per-second")
	}) {
		r.Node.SetRates(s.Rates()) // a rate that has not changed keeps its state
	}
	if slices.ContainsFunc(applied, func(name string) bool { return slices.Contains(redaction, name) }) {
		r.Node.SetRedaction(rules)
	}
	s.setConcurrency(r.Server.Concurrency)
	s.setSlow(r.Server.Slow)
	r.Server.SetQueryLimits(s.QueryLimits())
	r.Current = kept(r.Current, sources.Effective(), restart)
	r.Log.Info("settings: reloaded", "changed", strings.Join(applied, ", "))
	if len(restart) > 0 {
		r.Log.Warn("settings: some have changed and need a restart", "settings", strings.Join(restart, ", "))
	}
}

// setConcurrency sets the limits of semaphores.
func (f *Quotas) setConcurrency(g server.Concurrency) {
	g.Streams.SetLimits(f.MaxStreams, f.MaxStreamsPerTenant)
	g.Replays.SetLimits(f.MaxReplays, f.MaxReplaysPerTenant)
	g.Followers.SetLimits(f.MaxFollowers, f.MaxFollowersPerTenant)
	g.Exports.SetLimits(f.MaxExports, f.MaxExportsPerTenant)
	g.Comparisons.SetLimits(f.MaxComparisons, 0)
	g.MCPRequests.SetLimits(f.MaxMCPRequests, f.MaxMCPRequestsPerTenant)
	g.AlertStreams.SetLimits(f.MaxAlertStreams, f.MaxAlertStreamsPerTenant)
}

// setSlow sets the time limits of clients.
func (f *Quotas) setSlow(l server.SlowLimits) {
	l.Write.Set(f.WriteTimeout)
	l.Body.Set(f.BodyTimeout)
	l.Lag.Set(f.PlaybackLag)
}

// changes lists the settings whose values differ: applied are the settings that a running server
// accepts, restart the other ones.
func changes(before, after []Effective) (applied, restart []string) {
	for _, a := range after {
		i := slices.IndexFunc(before, func(b Effective) bool { return b.Name == a.Name })
		switch {
		case i < 0 || before[i].raw == a.raw || a.Name == "config":
		case a.flag.Tag.Has("reload"):
			applied = append(applied, a.Name)
		default:
			restart = append(restart, a.Name)
		}
	}
	return applied, restart
}

// kept returns the settings in force after a reload: the new values, except for settings that need
// a restart.
func kept(before, after []Effective, restart []string) []Effective {
	list := slices.Clone(after)
	for i, a := range list {
		if slices.Contains(restart, a.Name) {
			list[i] = before[slices.IndexFunc(before, func(b Effective) bool { return b.Name == a.Name })]
		}
	}
	return list
}
