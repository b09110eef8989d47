package main

import (
	"time"

	"tapedeck/deploy/server"
	"tapedeck/ingest/ratelimit"
	"tapedeck/internal/quota"
	"tapedeck/internal/usage"
	"tapedeck/query"
)

// quotaFlags bound what tenants do at a time and per second, and what a question may cost, for the
// commands that run servers. 0 is no limit.
type quotaFlags struct {
	MaxStreams                  int     `help:"Streams that are recorded at a time: bodies, WebSockets, requests of recorders, imports. 0: any number, here and below." default:"0" env:"TAPEDECK_MAX_STREAMS" placeholder:"N"`
	MaxStreamsPerTenant         int     `help:"The same for one tenant." default:"0" env:"TAPEDECK_MAX_STREAMS_PER_TENANT" placeholder:"N"`
	MaxReplays                  int     `help:"Playbacks and emulations at a time." default:"0" env:"TAPEDECK_MAX_REPLAYS" placeholder:"N"`
	MaxReplaysPerTenant         int     `help:"The same for one tenant." default:"0" env:"TAPEDECK_MAX_REPLAYS_PER_TENANT" placeholder:"N"`
	MaxFollowers                int     `help:"Playbacks that follow running sessions at a time." default:"0" env:"TAPEDECK_MAX_FOLLOWERS" placeholder:"N"`
	MaxFollowersPerTenant       int     `help:"The same for one tenant." default:"0" env:"TAPEDECK_MAX_FOLLOWERS_PER_TENANT" placeholder:"N"`
	MaxExports                  int     `help:"Tapes and other answers of any length at a time." default:"0" env:"TAPEDECK_MAX_EXPORTS" placeholder:"N"`
	MaxExportsPerTenant         int     `help:"The same for one tenant." default:"0" env:"TAPEDECK_MAX_EXPORTS_PER_TENANT" placeholder:"N"`
	MaxFramesPerSecond          float64 `help:"Frames that are recorded per second. What comes faster waits." default:"0" env:"TAPEDECK_MAX_FRAMES_PER_SECOND" placeholder:"N"`
	MaxFramesPerSecondPerTenant float64 `help:"The same for one tenant." default:"0" env:"TAPEDECK_MAX_FRAMES_PER_SECOND_PER_TENANT" placeholder:"N"`
	MaxBytesPerSecond           float64 `help:"Bytes of encoded blocks that are recorded per second. What comes faster waits." default:"0" env:"TAPEDECK_MAX_BYTES_PER_SECOND" placeholder:"N"`
	MaxBytesPerSecondPerTenant  float64 `help:"The same for one tenant." default:"0" env:"TAPEDECK_MAX_BYTES_PER_SECOND_PER_TENANT" placeholder:"N"`

	MaxHeaderBytes int           `help:"Most bytes of the head of a request; more is answered 431." default:"262144" env:"TAPEDECK_MAX_HEADER_BYTES" placeholder:"N"`
	HeaderTimeout  time.Duration `help:"How long the head of a request may take; then the connection is closed." default:"10s" env:"TAPEDECK_HEADER_TIMEOUT" placeholder:"D"`
	BodyTimeout    time.Duration `help:"How long a small body, or one block of a recorder, may take to arrive; then the connection is closed." default:"1m" env:"TAPEDECK_BODY_TIMEOUT" placeholder:"D"`
	WriteTimeout   time.Duration `help:"How long a client may take nothing of an answer; then the connection is closed." default:"30s" env:"TAPEDECK_WRITE_TIMEOUT" placeholder:"D"`
	PlaybackLag    time.Duration `help:"How far a playback may fall behind since its client reads slowly; then it ends with an error." default:"1m" env:"TAPEDECK_PLAYBACK_LAG" placeholder:"D"`
	QueryTime      time.Duration `help:"How long a statement in ClickHouse may take." default:"60s" env:"TAPEDECK_QUERY_TIME" placeholder:"D"`
	QueryMemory    uint64        `help:"Memory, bytes, that a statement in ClickHouse may take. 0: what the ClickHouse server allows." default:"0" env:"TAPEDECK_QUERY_MEMORY" placeholder:"BYTES"`
	QueryRows      uint64        `help:"Rows that a statement in ClickHouse may read. 0: any number." default:"0" env:"TAPEDECK_QUERY_ROWS" placeholder:"N"`
}

// check refuses limits that would refuse everything.
func (f *quotaFlags) check() error {
	switch {
	case f.MaxHeaderBytes < 4096:
		return usage.Errorf("--max-header-bytes=%d: it must be 4096 or more", f.MaxHeaderBytes)
	case f.HeaderTimeout <= 0:
		return usage.Errorf("--header-timeout=%v: it must be above 0, like 10s", f.HeaderTimeout)
	case f.BodyTimeout < time.Second:
		return usage.Errorf("--body-timeout=%v: it must be 1s or more", f.BodyTimeout)
	case f.WriteTimeout < time.Second:
		return usage.Errorf("--write-timeout=%v: it must be 1s or more", f.WriteTimeout)
	case f.PlaybackLag < time.Second:
		return usage.Errorf("--playback-lag=%v: it must be 1s or more", f.PlaybackLag)
	case f.QueryTime < time.Second:
		return usage.Errorf("--query-time=%v: it must be 1s or more", f.QueryTime)
	}
	for _, l := range []struct {
		name string
		n    float64
	}{
		{"--max-streams", float64(f.MaxStreams)}, {"--max-streams-per-tenant", float64(f.MaxStreamsPerTenant)},
		{"--max-replays", float64(f.MaxReplays)}, {"--max-replays-per-tenant", float64(f.MaxReplaysPerTenant)},
		{"--max-followers", float64(f.MaxFollowers)}, {"--max-followers-per-tenant", float64(f.MaxFollowersPerTenant)},
		{"--max-exports", float64(f.MaxExports)}, {"--max-exports-per-tenant", float64(f.MaxExportsPerTenant)},
		{"--max-frames-per-second", f.MaxFramesPerSecond}, {"--max-frames-per-second-per-tenant", f.MaxFramesPerSecondPerTenant},
		{"--max-bytes-per-second", f.MaxBytesPerSecond}, {"--max-bytes-per-second-per-tenant", f.MaxBytesPerSecondPerTenant},
	} {
		if l.n < 0 || l.n > 0 && l.n < 1 {
			return usage.Errorf("%s=%g: it must be 1 or more, or 0 for no limit", l.name, l.n)
		}
	}
	return nil
}

func (f *quotaFlags) gates() server.Gates {
	return server.Gates{
		Streams:   quota.NewGate("streams", f.MaxStreams, f.MaxStreamsPerTenant),
		Replays:   quota.NewGate("replays", f.MaxReplays, f.MaxReplaysPerTenant),
		Followers: quota.NewGate("followers", f.MaxFollowers, f.MaxFollowersPerTenant),
		Exports:   quota.NewGate("exports", f.MaxExports, f.MaxExportsPerTenant),
	}
}

func (f *quotaFlags) rates() ratelimit.Limits {
	return ratelimit.Limits{
		Frames: f.MaxFramesPerSecond, FramesPerTenant: f.MaxFramesPerSecondPerTenant,
		Bytes: f.MaxBytesPerSecond, BytesPerTenant: f.MaxBytesPerSecondPerTenant,
	}
}

func (f *quotaFlags) headers() server.HeaderLimits {
	return server.HeaderLimits{Timeout: f.HeaderTimeout, Bytes: f.MaxHeaderBytes}
}

func (f *quotaFlags) slow() server.SlowLimits {
	return server.SlowLimits{Write: f.WriteTimeout, Body: f.BodyTimeout, Lag: f.PlaybackLag}
}

func (f *quotaFlags) queryLimits() query.Limits {
	return query.Limits{Time: f.QueryTime, Memory: f.QueryMemory, Rows: f.QueryRows}
}
