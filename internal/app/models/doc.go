// Package models is ebb train, which measures power and activity and makes a model of them, and ebb
// model, which shows, tries and converts such models.
package models
