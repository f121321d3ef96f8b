package table

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// Close completes the table: it sets the totals of h, and the number of threads seen if h has none.
// If there is a table to write, it calls publish, which makes a file of it.
func (w *Writer) Close(h Header, publish func(write func(io.Writer) error) error) error {
	defer w.Discard()
	if w.err != nil {
		return w.err
	}
	err := w.buf.Flush()
	if err == nil && w.zip != nil {
		err = w.zip.Close()
	}
	if err == nil {
		_, err = w.rows.Seek(0, io.SeekStart)
	}
	if err != nil {
		return notWritten(w.name, err)
	}
	h.Total, h.Epochs = w.elapsed, w.epochs
	if h.Threads == 0 {
		h.Threads = len(w.threads)
	}
	head, err := w.headLines(h)
	if err != nil {
		return fmt.Errorf("write %s: %w", w.name, err)
	}
	return publish(func(to io.Writer) error {
		if _, err := to.Write(head); err != nil {
			return err
		}
		_, err := io.Copy(to, w.rows)
		return err
	})
}

// headLines returns the first two lines, compressed when the rows are.
func (w *Writer) headLines(h Header) ([]byte, error) {
	object, err := h.MarshalJSON() // json.Marshal would change how Extra is written
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHeader, err)
	}
	// A reader must accept the header, otherwise this is no table.
	if err := json.Unmarshal(object, new(Header)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHeader, err)
	}
	text := "# " + string(object) + "\n" + strings.Join(w.columns, ",") + "\n"
	if w.zip == nil {
		return []byte(text), nil
	}
	var b strings.Builder
	z := gzip.NewWriter(&b)
	if _, err = z.Write([]byte(text)); err == nil {
		err = z.Close()
	}
	return []byte(b.String()), err
}

// Discard gives the table up. After Close it does nothing.
func (w *Writer) Discard() {
	if w.rows != nil {
		w.rows.Close() // the content is no longer needed
		w.rows = nil
		w.err = fs.ErrClosed
	}
}
