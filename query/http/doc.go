// Package queryhttp answers the reading routes of the API. Its handlers take
// the tenant, and for the routes of one session its id, as plain arguments;
// whoever mounts them settles both.
//
// Parameters are read strictly: one that a route does not know is refused, so
// that a typing error in a filter does not silently give everything.
package queryhttp
