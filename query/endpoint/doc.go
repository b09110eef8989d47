// Package endpoint has the code that the handlers of the reading routes share: it reads parameters
// and writes answers and problems. Handlers receive the tenant, and for the routes of one session
// its id, as plain arguments.
//
// Parameters are read strictly: an unknown parameter is an error, so that a misspelt filter does
// not return everything.
package endpoint
