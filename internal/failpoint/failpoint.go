// Package failpoint lets tests stop product code at named steps, to show that interrupted work is
// completed later.
//
// Product code calls Reach(ctx, "package: step") after a step. Without a hook in the context, Reach
// returns nil. A test adds its hook to the context by With. Hooks of different tests are
// independent, so such tests may run in parallel.
package failpoint

import "context"

// Hook receives the name of a step that was reached. If it returns an error, the work stops there.
type Hook func(step string) error

type key struct{}

// With returns a context in which Reach calls a hook. Only tests call it.
func With(ctx context.Context, hook Hook) context.Context {
	return context.WithValue(ctx, key{}, hook)
}

// Reach calls the hook of the context with the name of a step, and returns its error. Without a
// hook it returns nil.
func Reach(ctx context.Context, step string) error {
	if hook, ok := ctx.Value(key{}).(Hook); ok {
		return hook(step)
	}
	return nil
}
