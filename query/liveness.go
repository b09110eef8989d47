package query

// Liveness returns the parameters of sql/alive.sql for the streams of a tenant.
func Liveness(now int64, r *Reader, tenant string) Args {
	a := Args{"recorders": []string{}, "silent_since": now - int64(RecorderTimeout),
		"unheard_since": now - int64(RecorderTimeout)}
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
