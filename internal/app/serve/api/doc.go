// Package api connects to a service's socket (Dial), and has the answers of a service to those who
// ask it. It has their types, with the names of their fields as tools/dist/ebb.openapi.json
// describes them, and makes them from the board. A figure that is not known is left out, and not
// sent as 0.
package api
