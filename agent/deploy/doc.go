// Package deploy has the manifests that bring ebb to the nodes of a cluster, and their tests.
package deploy
