// Package endpoint has what the handlers of the reading routes share: it reads parameters
// and writes answers and problems. Handlers take the tenant, and for the routes of one
// session its id, as plain arguments.
//
// Parameters are read strictly: one that a route does not know is refused, so that a
// misspelt filter does not return everything.
package endpoint
