package settings

import "time"

// Audit are the settings of the audit log.
type Audit struct {
	AuditRetention Days `help:"How long the audit log is kept, in whole days." default:"400d" min:"1d" max:"36500d" env:"TAPEDECK_AUDIT_RETENTION" placeholder:"D"`
}

// Retention returns --audit-retention.
func (f *Audit) Retention() time.Duration { return time.Duration(f.AuditRetention) }
