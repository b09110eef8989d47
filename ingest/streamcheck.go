package ingest

import "tapedeck/ingest/dialect/dialects"

// CheckStream checks the tenant, the session and the dialect of a stream. An empty session or
// dialect is valid, and is detected later.
func CheckStream(tenant, session, dialect string) error {
	if err := CheckTenant(tenant); err != nil {
		return err
	}
	if session != "" {
		if err := CheckSession(session); err != nil {
			return err
		}
	}
	if dialect != "" {
		if _, err := dialects.ByName(dialect); err != nil {
			return err
		}
	}
	return nil
}
