// Package extra has no rule.
package extra
