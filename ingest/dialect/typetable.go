package dialect

// Types is a protocol's table: by the name of a type, as frames spell it, what is
// done with a frame of that type. H is a method expression, or a description
// that a method acts on; the zero H is for a type that is known and that nothing
// is concluded from.
//
// A table whose handlers look types up in it is filled in an init function, as
// the compiler refuses a variable whose initial value depends on itself.
type Types[H any] map[string]Type[H]

// Type is an entry of a table.
type Type[H any] struct {
	Name   string // for the envelope: unlike the name in a frame it stays valid
	Handle H
}

// NewTypes makes a table.
func NewTypes[H any](handlers map[string]H) Types[H] {
	t := make(Types[H], len(handlers))
	for name, handle := range handlers {
		t[name] = Type[H]{name, handle}
	}
	return t
}

// Of looks a frame's type up. A type that is not known has a name as well.
func (t Types[H]) Of(name []byte) (found Type[H], known bool) {
	if found, known = t[string(name)]; !known {
		found.Name = Intern(name)
	}
	return found, known
}
