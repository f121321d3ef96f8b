package policy

// Reason is the reason for which a frequency was chosen, in one word. Reports have it.
type Reason string

const (
	// ReasonStart: nothing of the target has run yet; it starts at the highest frequency.
	ReasonStart Reason = "start"
	// ReasonHole: the quantum's data has holes. A decision on wrong data can break the budget's
	// promise, a quantum at the highest frequency only costs energy.
	ReasonHole Reason = "hole"
	// ReasonIdle: nothing ran in the quantum. The frequency stays for a short pause and is the
	// highest after a long one.
	ReasonIdle Reason = "idle"
	// ReasonWaiting: nothing ran in the quantum, but a thread waited for a CPU that others had, or
	// for its quota. The frequency stays.
	ReasonWaiting Reason = "waiting"
	// ReasonHighest: every other state would be too slow.
	ReasonHighest Reason = "highest"
	// ReasonLowest: even the lowest state is within the budget.
	ReasonLowest Reason = "lowest"
	// ReasonBudget: the lowest state within the budget, with one below it that is not.
	ReasonBudget Reason = "budget"
	// ReasonCarry: the state is slower than the budget alone allows; excess time carried from
	// before pays for it.
	ReasonCarry Reason = "carry"
	// ReasonDebt: more was spent than the budget allows; a faster state, the highest if it must be,
	// pays it back.
	ReasonDebt Reason = "debt"
	// ReasonProbe: a quantum at the highest frequency, to compare with the predictions for it; with
	// least system energy as the aim, a while at another state, to learn its energy.
	ReasonProbe Reason = "probe"
	// ReasonClock: a quantum at another state than would be chosen, because the clock is not the
	// requested one, or was limited at the last probe.
	ReasonClock Reason = "clock"
	// ReasonEnergy: the state with the least modelled energy.
	ReasonEnergy Reason = "energy-optimal"
	// ReasonDoubt: a lower state might take less energy, but what it would save is less than the
	// doubt.
	ReasonDoubt Reason = "doubt"
	// ReasonEnding: the program was asked to end, and does so at the highest frequency.
	ReasonEnding Reason = "ending"
	// ReasonFixed: the frequency never changes.
	ReasonFixed Reason = "fixed"
)
