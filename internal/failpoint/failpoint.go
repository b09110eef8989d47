// Package failpoint lets tests stop product code at named steps, to show that work that
// breaks off there is completed later.
//
// Product code calls Reach(ctx, "package: step") after a step. Without a test's hook in the
// context, Reach returns nil. A test puts its hook there with With; hooks of different tests
// do not see each other, so such tests may run in parallel.
package failpoint

import "context"

// Hook receives the name of a step that was reached. Its error ends the work there.
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
