// Package api is how a service is asked: the connection to its socket (Dial), and the answers to
// those who ask. It has their types, with the names of their fields as docs/service.openapi.yaml
// describes them, and makes them from the board. A figure that is not known is left out, and never
// 0.
package api
