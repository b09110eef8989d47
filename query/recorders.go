package query

import "time"

// Recorders reports which recording processes are alive.
type Recorders interface {
	// Alive returns the ids of the recorders that may record for a tenant. A recorder that is not
	// in the list is gone if the last frame of its streams is older than within. If within is 0,
	// the list may be incomplete, and no recorder counts as gone.
	Alive(tenant string) (ids []string, within time.Duration)
}

const (
	// DefaultQuietAfter is the default of WithQuietAfter.
	DefaultQuietAfter = 30 * time.Second
	// RecorderTimeout is how long a stream may be silent before its recorder counts as gone,
	// if the recorder sends no heartbeats.
	RecorderTimeout = time.Hour
)
