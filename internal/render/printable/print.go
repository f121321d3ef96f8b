package printable

import (
	"fmt"
	"io"
	"reflect"
)

// Fprintf is fmt.Fprintf with all strings and errors among the arguments as Name shows them. The
// format itself stays.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	return fmt.Fprintf(w, format, names(args)...)
}

func names(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		switch v := reflect.ValueOf(a); {
		case v.IsValid() && v.Kind() == reflect.String:
			out[i] = Name(fmt.Sprint(a))
		default:
			if err, ok := a.(error); ok && err != nil {
				a = Name(err.Error())
			}
			out[i] = a
		}
	}
	return out
}

// Errors are the sentences of an error, each for a line of its own: errors.Join puts one below the
// other.
func Errors(err error) []string {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var lines []string
		whole := ""
		for _, e := range joined.Unwrap() {
			if e != nil {
				lines = append(lines, Errors(e)...)
				whole += "\n" + e.Error()
			}
		}
		if whole == "\n"+err.Error() { // and not of fmt.Errorf, which says more
			return lines
		}
	}
	return []string{Name(err.Error())}
}
