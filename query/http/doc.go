// Package queryhttp combines the handlers of all queries, for the server to mount. Each handler is
// in the package of its query.
package queryhttp
