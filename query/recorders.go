package query

import "time"

// Recorders reports which recording processes are alive.
type Recorders interface {
	// Alive returns the ids of the recorders that may record for a tenant. A recorder that is not
	// in the list is gone if the last frame of its streams is older than within. If within is 0,
	// the list may be incomplete, and no recorder counts as gone.
	Alive(tenant string) (ids []string, within time.Duration)
}

// Liveness returns the parameters of sql/alive.sql for streams of a tenant.
func Liveness(now int64, r *Reader, tenant string) Args {
	a := Args{"recorders": []string{}, "silent_since": now - int64(RecorderTimeout), "unheard_since": now - int64(RecorderTimeout)}
	if r.recorders == nil {
		return a
	}
	ids, within := r.recorders.Alive(tenant)
	if within > 0 {
		a["unheard_since"] = now - int64(within)
	}
	if len(ids) > 0 {
		a["recorders"] = ids
	}
	return a
}

const (
	// DefaultQuietAfter is the default of WithQuietAfter.
	DefaultQuietAfter = 30 * time.Second
	// RecorderTimeout is how long a stream may be silent before its recorder counts as gone,
	// if the recorder sends no heartbeats.
	RecorderTimeout = time.Hour
)
