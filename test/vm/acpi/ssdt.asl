/*
 * Performance states for QEMU's two CPUs, for Debian's acpi-cpufreq: 13 from 4 GHz to 1 GHz. Control and status are the same byte of
 * the DMA controller's page registers, one a CPU, which nothing else uses: what is written there is read back, and no clock changes.
 */
DefinitionBlock ("ssdt.aml", "SSDT", 2, "EBB", "PSTATES", 1)
{
    External (\_SB.CPUS.C000, ProcessorObj)
    External (\_SB.CPUS.C001, ProcessorObj)
    Name (\_SB.PSTA, Package ()
    {
        // MHz, mW, latency and bus master latency in us, control, status
        Package () { 4000, 20000, 10, 10, 0, 0 },
        Package () { 3750, 16831, 10, 10, 1, 1 },
        Package () { 3500, 14058, 10, 10, 2, 2 },
        Package () { 3250, 11654, 10, 10, 3, 3 },
        Package () { 3000, 9593, 10, 10, 4, 4 },
        Package () { 2750, 7849, 10, 10, 5, 5 },
        Package () { 2500, 6394, 10, 10, 6, 6 },
        Package () { 2250, 5203, 10, 10, 7, 7 },
        Package () { 2000, 4250, 10, 10, 8, 8 },
        Package () { 1750, 3507, 10, 10, 9, 9 },
        Package () { 1500, 2949, 10, 10, 10, 10 },
        Package () { 1250, 2549, 10, 10, 11, 11 },
        Package () { 1000, 2281, 10, 10, 12, 12 }
    })

    Scope (\_SB.CPUS.C000)
    {
        Name (_PPC, 0)
        Name (_PCT, Package ()
        {
            ResourceTemplate () { Register (SystemIO, 8, 0, 0x81) },
            ResourceTemplate () { Register (SystemIO, 8, 0, 0x81) }
        })
        Name (_PSD, Package () { Package () { 5, 0, 0, 0xFC, 1 } })
        Method (_PSS) { Return (\_SB.PSTA) }
    }

    Scope (\_SB.CPUS.C001)
    {
        Name (_PPC, 0)
        Name (_PCT, Package ()
        {
            ResourceTemplate () { Register (SystemIO, 8, 0, 0x82) },
            ResourceTemplate () { Register (SystemIO, 8, 0, 0x82) }
        })
        Name (_PSD, Package () { Package () { 5, 0, 1, 0xFC, 1 } })
        Method (_PSS) { Return (\_SB.PSTA) }
    }
}
