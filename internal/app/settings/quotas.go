package settings

import (
	"time"

	"tapedeck/ingest/delivery/admission"
	"tapedeck/internal/app/server"
	"tapedeck/internal/quota"
	"tapedeck/internal/slow"
	"tapedeck/query"
)

// Quotas bound what tenants do concurrently and per second, and what a query may cost, for the
// commands that run servers. 0 means no limit.
type Quotas struct {
	MaxStreams                  int     `help:"Streams that are recorded at a time: bodies, WebSockets, requests of recorders, imports. 0: any number, here and below." default:"10000" min:"1" zero:"any number" unit:"streams" reload:"yes" env:"TAPEDECK_MAX_STREAMS" placeholder:"N"`
	MaxStreamsPerTenant         int     `help:"The same for one tenant." default:"4000" min:"1" zero:"any number" unit:"streams" reload:"yes" env:"TAPEDECK_MAX_STREAMS_PER_TENANT" placeholder:"N"`
	MaxReplays                  int     `help:"Playbacks and emulations at a time." default:"0" min:"1" zero:"any number" unit:"playbacks" reload:"yes" env:"TAPEDECK_MAX_REPLAYS" placeholder:"N"`
	MaxReplaysPerTenant         int     `help:"The same for one tenant." default:"0" min:"1" zero:"any number" unit:"playbacks" reload:"yes" env:"TAPEDECK_MAX_REPLAYS_PER_TENANT" placeholder:"N"`
	MaxFollowers                int     `help:"Playbacks that follow running sessions at a time." default:"0" min:"1" zero:"any number" unit:"playbacks" reload:"yes" env:"TAPEDECK_MAX_FOLLOWERS" placeholder:"N"`
	MaxFollowersPerTenant       int     `help:"The same for one tenant." default:"0" min:"1" zero:"any number" unit:"playbacks" reload:"yes" env:"TAPEDECK_MAX_FOLLOWERS_PER_TENANT" placeholder:"N"`
	MaxExports                  int     `help:"Tapes and other answers of any length at a time." default:"0" min:"1" zero:"any number" unit:"answers" reload:"yes" env:"TAPEDECK_MAX_EXPORTS" placeholder:"N"`
	MaxExportsPerTenant         int     `help:"The same for one tenant." default:"0" min:"1" zero:"any number" unit:"answers" reload:"yes" env:"TAPEDECK_MAX_EXPORTS_PER_TENANT" placeholder:"N"`
	MaxComparisons              int     `help:"Comparisons of two sessions at a time. Further ones wait for 20 seconds and are then answered 429." default:"2" min:"1" unit:"comparisons" reload:"yes" env:"TAPEDECK_MAX_COMPARISONS" placeholder:"N"`
	MaxMCPRequests              int     `help:"Requests at /mcp at a time. Further ones wait for 20 seconds and are then answered 429." default:"16" min:"1" unit:"requests" reload:"yes" env:"TAPEDECK_MAX_MCP_REQUESTS" placeholder:"N"`
	MaxMCPRequestsPerTenant     int     `help:"The same for one tenant. 0: any number." default:"8" min:"1" zero:"any number" unit:"requests" reload:"yes" env:"TAPEDECK_MAX_MCP_REQUESTS_PER_TENANT" placeholder:"N"`
	MaxAlertStreams             int     `help:"Streams of alerts (GET /v1/alerts as text/event-stream) at a time." default:"1000" min:"1" zero:"any number" unit:"streams" reload:"yes" env:"TAPEDECK_MAX_ALERT_STREAMS" placeholder:"N"`
	MaxAlertStreamsPerTenant    int     `help:"The same for one tenant." default:"200" min:"1" zero:"any number" unit:"streams" reload:"yes" env:"TAPEDECK_MAX_ALERT_STREAMS_PER_TENANT" placeholder:"N"`
	MaxFramesPerSecond          float64 `help:"Frames that are recorded per second. What comes faster waits." default:"0" min:"1" zero:"any number" unit:"frames/s" reload:"yes" env:"TAPEDECK_MAX_FRAMES_PER_SECOND" placeholder:"N"`
	MaxFramesPerSecondPerTenant float64 `help:"The same for one tenant." default:"0" min:"1" zero:"any number" unit:"frames/s" reload:"yes" env:"TAPEDECK_MAX_FRAMES_PER_SECOND_PER_TENANT" placeholder:"N"`
	MaxBytesPerSecond           Size    `help:"Bytes of encoded blocks that are recorded per second. What comes faster waits." default:"0" min:"1" zero:"any number" unit:"bytes/s" reload:"yes" env:"TAPEDECK_MAX_BYTES_PER_SECOND" placeholder:"N"`
	MaxBytesPerSecondPerTenant  Size    `help:"The same for one tenant." default:"0" min:"1" zero:"any number" unit:"bytes/s" reload:"yes" env:"TAPEDECK_MAX_BYTES_PER_SECOND_PER_TENANT" placeholder:"N"`

	MaxHeaderBytes Size          `help:"Most bytes of the head of a request; more is answered 431." default:"256KiB" min:"4KiB" max:"64MiB" env:"TAPEDECK_MAX_HEADER_BYTES" placeholder:"SIZE"`
	HeaderTimeout  time.Duration `help:"How long the head of a request may take; then the connection is closed." default:"10s" min:">0" env:"TAPEDECK_HEADER_TIMEOUT" placeholder:"D"`
	BodyTimeout    time.Duration `help:"How long a small body, or one block of a recorder, may take to arrive; then the connection is closed." default:"1m" min:"1s" reload:"yes" env:"TAPEDECK_BODY_TIMEOUT" placeholder:"D"`
	WriteTimeout   time.Duration `help:"How long a client may take nothing of an answer; then the connection is closed." default:"30s" min:"1s" reload:"yes" env:"TAPEDECK_WRITE_TIMEOUT" placeholder:"D"`
	PlaybackLag    time.Duration `help:"How far a playback may fall behind since its client reads slowly; then it ends with an error." default:"1m" min:"1s" reload:"yes" env:"TAPEDECK_PLAYBACK_LAG" placeholder:"D"`
	QueryTime      time.Duration `help:"How long a statement in ClickHouse may take." default:"60s" min:"1s" reload:"yes" env:"TAPEDECK_QUERY_TIME" placeholder:"D"`
	QueryMemory    Size          `help:"Memory that a statement in ClickHouse may take. 0: what the ClickHouse server allows." default:"0" min:"1MiB" zero:"what the ClickHouse server allows" reload:"yes" env:"TAPEDECK_QUERY_MEMORY" placeholder:"BYTES"`
	QueryRows      uint64        `help:"Rows that a statement in ClickHouse may read. 0: any number." default:"0" min:"1" zero:"any number" unit:"rows" reload:"yes" env:"TAPEDECK_QUERY_ROWS" placeholder:"N"`
}

// Concurrency returns the bounds of concurrent requests.
func (f *Quotas) Concurrency() server.Concurrency {
	return server.Concurrency{
		Streams:      quota.NewGate("streams", f.MaxStreams, f.MaxStreamsPerTenant),
		Replays:      quota.NewGate("replays", f.MaxReplays, f.MaxReplaysPerTenant),
		Followers:    quota.NewGate("followers", f.MaxFollowers, f.MaxFollowersPerTenant),
		Exports:      quota.NewGate("exports", f.MaxExports, f.MaxExportsPerTenant),
		Comparisons:  quota.NewGate("comparisons", f.MaxComparisons, 0),
		MCPRequests:  quota.NewGate("mcp-requests", f.MaxMCPRequests, f.MaxMCPRequestsPerTenant),
		AlertStreams: quota.NewGate("alert-streams", f.MaxAlertStreams, f.MaxAlertStreamsPerTenant),
	}
}

// Rates returns the bounds of what is recorded per second.
func (f *Quotas) Rates() admission.Rates {
	return admission.Rates{
		Frames: f.MaxFramesPerSecond, FramesPerTenant: f.MaxFramesPerSecondPerTenant,
		Bytes: float64(f.MaxBytesPerSecond), BytesPerTenant: float64(f.MaxBytesPerSecondPerTenant),
	}
}

// Headers returns the bounds of request headers.
func (f *Quotas) Headers() server.HeaderLimits {
	return server.HeaderLimits{Timeout: f.HeaderTimeout, Bytes: int(f.MaxHeaderBytes)}
}

// Slow returns the time limits of clients.
func (f *Quotas) Slow() server.SlowLimits {
	return server.SlowLimits{Write: slow.NewTimeout(f.WriteTimeout), Body: slow.NewTimeout(f.BodyTimeout),
		Lag: slow.NewTimeout(f.PlaybackLag)}
}

// QueryLimits returns the bounds of a statement.
func (f *Quotas) QueryLimits() query.Limits {
	return query.Limits{Time: f.QueryTime, Memory: uint64(f.QueryMemory), Rows: f.QueryRows}
}
