package audit

import "strings"

// Action names what was done: the kind of the object, a dot and a verb.
type Action string

// None is the action of a route that is not audited.
const None Action = "none"

// Actions that read.
const (
	FramesRead      Action = "session.frames"
	TranscriptRead  Action = "session.transcript"
	SessionCompare  Action = "session.compare"
	OpenRead        Action = "session.open"
	SessionReplay   Action = "session.replay"
	SessionEmulate  Action = "session.emulate"
	Search          Action = "session.search"
	TapeExport      Action = "session.tape"
	SpansExport     Action = "session.spans"
	ChargesExport   Action = "charges.export"
	Reconciled      Action = "charges.reconcile"
	BillRead        Action = "bill.read"
	BillExport      Action = "bill.export"
	BillVerify      Action = "bill.verify"
	TokenList       Action = "token.list"
	DeadLettersRead Action = "deadletter.list"
	RetentionRead   Action = "retention.read"
	AuditRead       Action = "audit.read"
	ProfileRead     Action = "server.profile"
)

// Actions that change something.
const (
	SessionDelete   Action = "session.delete"
	SessionErase    Action = "session.erase"
	SessionRedact   Action = "session.redact"
	SessionRedecode Action = "session.redecode"
	SessionImport   Action = "session.import"
	NoteWrite       Action = "note.write"
	NoteDelete      Action = "note.delete"
	BillClose       Action = "bill.close"
	PricesImport    Action = "prices.import"
	TokenCreate     Action = "token.create"
	TokenRevoke     Action = "token.revoke"
	ShareCreate     Action = "share.create"
	ShareRevoke     Action = "share.revoke"
	DeadLetterRetry Action = "deadletter.retry"
	DeadLetterDrop  Action = "deadletter.drop"
	RetentionChange Action = "retention.change"
	BackupCreate    Action = "backup.create"
	Expire          Action = "retention.expire" // the server removed data that exceeded a limit on age or size
	Login           Action = "user.login"
	Logout          Action = "user.logout"
)

// Access is the action of a request that was refused on a route that is not audited.
const Access Action = "server.access"

// changes holds the actions that change something: their entries are durable before they begin.
var changes = map[Action]bool{
	SessionDelete: true, SessionErase: true, SessionRedact: true, SessionRedecode: true, SessionImport: true,
	NoteWrite: true, NoteDelete: true,
	BillClose: true, PricesImport: true,
	TokenCreate: true, TokenRevoke: true, ShareCreate: true, ShareRevoke: true,
	DeadLetterRetry: true, DeadLetterDrop: true, RetentionChange: true, Expire: true, BackupCreate: true, Login: true, Logout: true,
}

// Changes reports whether the action changes something.
func (a Action) Changes() bool { return changes[a] }

// Kind returns the kind of the objects of the action: "session", "token" and the like.
func (a Action) Kind() string {
	kind, _, _ := strings.Cut(string(a), ".")
	return kind
}
