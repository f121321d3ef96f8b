// Package status asks a service how it is and shows the answers. They come from the front process,
// which reads what strangers send: so whoever asks as root is nobody while it reads them, and
// prints nothing that a terminal obeys.
package status
